-- ARGV[4] and on: scores. Returns the packed entry of each, nil for one that is gone.
local reply = {}
for i = 4, #ARGV do
  local id = redis.call('ZRANGEBYSCORE', order, ARGV[i], ARGV[i])[1]
  reply[#reply + 1] = id and redis.call('HGET', entries, id) or false
end
return reply
