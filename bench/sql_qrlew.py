"""Times Qrlew on the PUMS queries: sql_qrlew.py CSV ROUNDS QUERIES.json, under scripts/with-postgres

Qrlew rewrites a query into one that adds the database's own random numbers; of those it writes for,
PostgreSQL is one that runs here. One line a query: name and milliseconds from text to answer, or why
there is none.
"""

import json
import os
import pathlib
import sys
import time

import pandas
import sqlalchemy
from pyqrlew import Dialect, Relation, dataset_from_database

BOUNDS = {"age": (0, 120), "educ": (1, 16), "income": (0, 500000), "married": (0, 1)}


def connect():
    import psycopg2

    return psycopg2.connect(os.environ["TACIT_TEST_POSTGRES"])


def main(csv, rounds, queries):
    table = pandas.read_csv(csv)[[*BOUNDS, "pid"]].astype("int64")
    engine = sqlalchemy.create_engine("postgresql+psycopg2://", creator=connect)
    table.to_sql("pums", engine, index=False, if_exists="replace")
    dataset = dataset_from_database("pums", engine, None)
    for column, (low, high) in BOUNDS.items():
        dataset = dataset.with_range(None, "pums", column, low, high)
    with engine.connect() as connection:

        def answer(query):
            relation = Relation.from_query(query, dataset)
            private = relation.rewrite_with_differential_privacy(
                dataset, [("pums", [], "pid")], {"epsilon": 1.0, "delta": 1e-8})
            text = private.relation().to_query(Dialect.PostgreSql)
            return connection.execute(sqlalchemy.text(text)).fetchall()

        for name, query in queries.items():
            try:
                answer(query)
                taken = []
                for _ in range(rounds):
                    begin = time.perf_counter()
                    answer(query)
                    taken.append(1000 * (time.perf_counter() - begin))
                print(name, sorted(taken)[len(taken) // 2])
            except Exception as error:  # what a peer cannot do is a line of the report
                print(name, "-", f"{type(error).__name__}: {error}".splitlines()[0])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), json.loads(pathlib.Path(sys.argv[3]).read_text()))
