"""The parts of `hf-ppar demo`: sample videos, what models and attackers make of them, a picture and a page."""
