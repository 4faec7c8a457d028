"""Recognising large collections: many processes, or with `inktex[ray]` many machines."""
