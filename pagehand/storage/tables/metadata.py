"""The metadata that all tables are in, and the type of columns that number rows."""

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()

# SQLite numbers rows by itself only in a column whose type is exactly INTEGER
Serial = BigInteger().with_variant(Integer(), "sqlite")
