-- ARGV[4] and on: ids. Returns how many of them were living.
local there = 0
for i = 4, #ARGV do
  local score = tonumber(redis.call('ZSCORE', order, ARGV[i]))
  if score and score >= first and score <= last then
    there = there + 1
  end
  redis.call('ZREM', order, ARGV[i])
  redis.call('HDEL', entries, ARGV[i])
  redis.call('HDEL', holders, ARGV[i])
end
return there
