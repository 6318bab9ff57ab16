-- ARGV[4] how many at most, ARGV[5] the lines "score id" that the reader knows.
-- Returns the lines of all living entries, newest first, and then the packed entries of the lines that are not known.
local known = {}
for line in string.gmatch(ARGV[5], '[^\n]+') do
  known[line] = true
end

local living = redis.call('ZREVRANGEBYSCORE', order, whole(last), whole(first), 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local lines, unread = {}, {}
for i = 1, #living, 2 do
  local line = living[i + 1] .. ' ' .. living[i]
  lines[#lines + 1] = line
  if not known[line] then
    unread[#unread + 1] = living[i]
  end
end

local reply = { table.concat(lines, '\n') }
for _, id in ipairs(unread) do
  reply[#reply + 1] = redis.call('HGET', entries, id)
end
return reply
