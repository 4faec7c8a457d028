"""The ink store: ink, truth and recognition of a whole collection as Parquet (needs `inktex[store]`).

`inktex.store.files` reads and writes stores; `inktex.store.row` has the type of a row, and needs no pyarrow.
"""
