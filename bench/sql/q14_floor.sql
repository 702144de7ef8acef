SELECT
    o_custkey,
    sum(
        CASE WHEN p_type LIKE 'PROMO%' THEN
            l_extendedprice * (1 - l_discount)
        ELSE
            0
        END) AS promo,
    sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM
    lineitem,
    part,
    orders
WHERE
    l_partkey = p_partkey
    AND o_orderkey = l_orderkey
    AND l_shipdate >= date '1995-09-01'
    AND l_shipdate < CAST('1995-10-01' AS date)
GROUP BY
    o_custkey;
