-- ARGV[4] id, ARGV[5] packed entry, ARGV[6] how long ago it was admitted, ARGV[7] how many stay; ARGV[8] the key that it
-- came by and ARGV[9] its session, of which ARGV[10] and ARGV[11] are the shares. Returns 1 if it is new.
local id, packed, age, cap = ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local key, session, key_share, session_share = ARGV[8], ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11])

local function remove(ids)
  for _, gone in ipairs(ids) do
    redis.call('ZREM', order, gone)
    redis.call('HDEL', entries, gone)
    redis.call('HDEL', holders, gone)
  end
end

local function newest()
  return tonumber(redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')[2] or 0)
end

-- Returns the first of these holders, oldest first, that has most.
local function largest(names)
  local counts, most = {}, nil
  for _, name in ipairs(names) do
    counts[name] = (counts[name] or 0) + 1
  end
  for _, name in ipairs(names) do
    if not most or counts[name] > counts[most] then
      most = name
    end
  end
  return most, counts
end

-- Returns the entry that has to go: as `working_policy.displaced` says.
local function displaced()
  local ids = redis.call('ZRANGE', order, 0, -1)
  local held = redis.call('HMGET', holders, unpack(ids))
  local keys, sessions = {}, {}
  for i = 1, #ids do
    -- A holder is "key NUL session"; an entry of an earlier version has none.
    local holder = held[i] or '\0'
    keys[i], sessions[i] = string.match(holder, '^(%Z*)'), holder
  end
  local own = key .. '\0' .. session
  local _, of_sessions = largest(sessions)
  if (of_sessions[own] or 0) <= session_share then
    local most, of_keys = largest(keys)
    local from = (of_keys[key] or 0) > key_share and key or most
    local candidates = {}
    for i = 1, #ids do
      if keys[i] == from then
        candidates[#candidates + 1] = sessions[i]
      end
    end
    own = largest(candidates)
  end
  for i = 1, #ids do
    if sessions[i] == own then
      return ids[i]
    end
  end
end

-- A server short of memory may have thrown away one of the two keys: what is left of the other is of no use.
if (redis.call('ZCARD', order) == 0) ~= (redis.call('HLEN', entries) == 0) then
  redis.call('DEL', order, entries, holders)
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
redis.call('HSET', holders, id, key .. '\0' .. session)
while redis.call('ZCARD', order) > cap do
  remove({ displaced() })
end

local left = whole(math.floor(newest() / 1000) + life / 1000 - math.floor(now / 1000))
redis.call('PEXPIRE', order, left)
redis.call('PEXPIRE', entries, left)
redis.call('PEXPIRE', holders, left)
return 1
