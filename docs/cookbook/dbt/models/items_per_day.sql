SELECT topic, substr(first_seen, 1, 10) AS day, count(*) AS items,
       sum(CASE WHEN tone = 'negative' THEN 1 ELSE 0 END) AS negative
FROM {{ source('topicwatch', 'v_item') }}
GROUP BY 1, 2
