SELECT topic, substr(min(started_at), 1, 10) AS since, count(*) AS searches, sum(cost_usd) AS usd
FROM {{ source('topicwatch', 'v_search') }}
GROUP BY topic
