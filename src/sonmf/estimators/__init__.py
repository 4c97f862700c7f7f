"""The scikit-learn classes: parameters, validation, docstrings; nothing numerical. Each is imported from its own file."""
