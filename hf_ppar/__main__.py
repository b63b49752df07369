"""`python -m hf_ppar` is the `hf-ppar` command, for launchers that start modules."""

from .cli.main import run

if __name__ == "__main__":
    run()
