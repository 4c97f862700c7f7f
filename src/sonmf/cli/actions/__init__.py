"""What each verb does: ``actions/fit.py`` does what ``verbs/fit.py`` reads from the line."""
