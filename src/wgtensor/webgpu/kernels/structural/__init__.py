"""The structural family."""
