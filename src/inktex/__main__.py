"""`python -m inktex` is the `inktex` command (torchrun starts it this way)."""

from inktex.cli import main

if __name__ == "__main__":
    main()
