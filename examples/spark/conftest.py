"""One small Spark for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

# Tables of some thousand rows: what takes time is to plan and to compile.
SMALL = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    builder = SparkSession.builder.master("local[2]").appName("fuzzqe")
    for name, value in SMALL.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
