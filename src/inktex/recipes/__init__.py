"""Training recipes as TOML files, read by `inktex.training.recipes`."""
