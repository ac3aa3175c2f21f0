"""Exchange with other libraries."""

__all__: list[str] = []
