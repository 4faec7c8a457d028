"""Recognising large collections: many processes or many machines (needs `inktex[ray]`)."""
