-- ARGV[4] an embedder, as it is packed. Returns the scores of the entries that another one saw last.
local all = redis.call('ZRANGE', order, 0, -1, 'WITHSCORES')
local stale = {}
for i = 1, #all, 2 do
  local packed = redis.call('HGET', entries, all[i])
  if packed and string.match(packed, '^[^\n]*\n([^\n]*)\n') ~= ARGV[4] then
    stale[#stale + 1] = all[i + 1]
  end
end
return stale
