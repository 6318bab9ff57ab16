-- ARGV[4] the embedder that made these vectors; then for each a score, the embedder that saw the text before, a vector.
-- Returns 1 for each that was put in place, 0 for a text that is gone or was seen by yet another embedder.
local reply = {}
for i = 5, #ARGV, 3 do
  local id = redis.call('ZRANGEBYSCORE', order, ARGV[i], ARGV[i])[1]
  local packed = id and redis.call('HGET', entries, id)
  local text, embedder = string.match(packed or '', '^([^\n]*)\n([^\n]*)\n')
  local same = embedder == ARGV[i + 1]
  if same then
    redis.call('HSET', entries, id, text .. '\n' .. ARGV[4] .. '\n' .. ARGV[i + 2])
  end
  reply[#reply + 1] = same and 1 or 0
end
return reply
