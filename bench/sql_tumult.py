"""Times Tumult Analytics on the PUMS queries: sql_tumult.py CSV ROUNDS

It has a builder instead of SQL, so the three queries are written for it here; of one with two
aggregates each is evaluated by itself. One line a query: name and milliseconds, or why there is none.
"""

import os
import sys
import time

os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddRowsWithID, ApproxDPBudget, KeySet, MaxRowsPerID, QueryBuilder, Session)


def session_over(csv):
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    columns = ["age", "educ", "income", "married", "pid"]
    table = spark.read.csv(csv, header=True, inferSchema=True)
    table = table.selectExpr(*(f"CAST({name} AS BIGINT) AS {name}" for name in columns)).cache()
    return Session.from_dataframe(
        privacy_budget=ApproxDPBudget(float("inf"), 1), source_id="pums", dataframe=table,
        protected_change=AddRowsWithID("pid"))


def queries():
    rows = QueryBuilder("pums").enforce(MaxRowsPerID(1))
    married = KeySet.from_dict({"married": [0, 1]})
    educ = KeySet.from_dict({"educ": list(range(1, 17))})
    return {
        "pums-count": [rows.count()],
        "pums-by-married": [rows.groupby(married).count(),
                            rows.groupby(married).sum("income", low=0, high=500000)],
        "pums-by-educ": [rows.groupby(educ).count(),
                         rows.groupby(educ).average("age", low=0, high=120)],
    }


def main(csv, rounds):
    session = session_over(csv)
    for name, parts in queries().items():

        def answer():
            budget = ApproxDPBudget(1.0 / len(parts), 1e-8 / len(parts))
            return [session.evaluate(part, budget).collect() for part in parts]

        try:
            answer()
            taken = []
            for _ in range(rounds):
                begin = time.perf_counter()
                answer()
                taken.append(1000 * (time.perf_counter() - begin))
            print(name, sorted(taken)[len(taken) // 2])
        except Exception as error:  # what a peer cannot do is a line of the report
            print(name, "-", f"{type(error).__name__}: {error}".splitlines()[0])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
