"""One algorithm a file: ``init_state`` and ``update`` on an immutable state; ``loop`` runs them all."""
