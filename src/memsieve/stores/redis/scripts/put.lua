-- ARGV[4] id, ARGV[5] packed entry, ARGV[6] how long ago it was admitted, ARGV[7] how many stay. Returns 1 if it is new.
local id, packed, age, cap = ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])

local function remove(ids)
  for _, gone in ipairs(ids) do
    redis.call('ZREM', order, gone)
    redis.call('HDEL', entries, gone)
  end
end

local function newest()
  return tonumber(redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')[2] or 0)
end

-- A server short of memory may have thrown away one of the two keys: what is left of the other is of no use.
if (redis.call('ZCARD', order) == 0) ~= (redis.call('HLEN', entries) == 0) then
  redis.call('DEL', order, entries)
end
remove(redis.call('ZRANGEBYSCORE', order, '-inf', '(' .. whole(first)))
remove(redis.call('ZRANGEBYSCORE', order, '(' .. whole(last), '+inf'))
if redis.call('ZSCORE', order, id) then
  return 0
end

local score = now - age
if age == 0 then
  score = math.max(now, newest() + 1)
else
  -- Of one millisecond, what is put later stands above.
  local ending = whole(math.floor(score / 1000) * 1000 + 999)
  local above = redis.call('ZREVRANGEBYSCORE', order, ending, whole(score), 'WITHSCORES', 'LIMIT', 0, 1)[2]
  score = above and tonumber(above) + 1 or score
end
while redis.call('ZCOUNT', order, whole(score), whole(score)) > 0 do
  score = score + 1
end
if score < first then
  return 0
end
redis.call('ZADD', order, whole(score), id)
redis.call('HSET', entries, id, packed)
remove(redis.call('ZRANGE', order, 0, -cap - 1))

local left = whole(math.floor(newest() / 1000) + life / 1000 - math.floor(now / 1000))
redis.call('PEXPIRE', order, left)
redis.call('PEXPIRE', entries, left)
return 1
