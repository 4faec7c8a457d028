"""Recognizes large collections: with many processes, or with `inktex[ray]` on many machines."""
