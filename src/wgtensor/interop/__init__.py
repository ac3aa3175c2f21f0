"""Exchange with other libraries: DLPack (``dlpack``, ``exchange``) and NumPy's files (``files``).

Nothing is imported here: the array itself needs ``dlpack``, the others need the array.
"""

__all__: list[str] = []
