-- Returns how many entries are living.
return redis.call('ZCOUNT', order, whole(first), whole(last))
