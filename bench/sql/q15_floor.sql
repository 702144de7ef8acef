SELECT
    l_suppkey AS supplier_no,
    o_custkey,
    sum(l_extendedprice * (1 - l_discount)) AS total_revenue
FROM
    lineitem,
    orders
WHERE
    o_orderkey = l_orderkey
    AND l_shipdate >= CAST('1996-01-01' AS date)
    AND l_shipdate < CAST('1996-04-01' AS date)
GROUP BY
    supplier_no,
    o_custkey;
