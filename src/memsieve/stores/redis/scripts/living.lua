-- What every script begins with: the time, and between which scores an entry lives.
-- ARGV[1] is the time in microseconds, empty for this server's own; ARGV[2] a whole life, ARGV[3] how far clocks differ.
local now, life, skew = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local function whole(number)
  return string.format('%.0f', number)
end

-- A life counts in whole milliseconds: the microseconds below them tell apart what was put in one moment.
local first = (math.floor((now - life) / 1000) + 1) * 1000
local last = now + skew
local order, entries, holders = KEYS[1], KEYS[2], KEYS[3]
