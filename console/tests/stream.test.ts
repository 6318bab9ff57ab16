import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '../src/api/client';
import { type Frame, follow, frames } from '../src/api/stream';

async function* chunked(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks;
}

async function all(...chunks: string[]): Promise<Frame[]> {
  const found: Frame[] = [];
  for await (const frame of frames(chunked(...chunks))) found.push(frame);
  return found;
}

const TEXT = 'id: 00a1\nevent: promoted\ndata: {"subject":"m1"}\n\n: ping\n\nid: 00a2\nevent: recorded\ndata: {}\n\n';
const FRAMES = [
  { id: '00a1', event: 'promoted', data: '{"subject":"m1"}' },
  { event: 'message' },
  { id: '00a2', event: 'recorded', data: '{}' },
];

describe('frames', () => {
  it('are the same wherever the chunks end', async () => {
    expect(await all(TEXT)).toEqual(FRAMES);
    expect(await all(...TEXT)).toEqual(FRAMES);
    for (let at = 1; at < TEXT.length; at++) expect(await all(TEXT.slice(0, at), TEXT.slice(at))).toEqual(FRAMES);
  });

  it('that break off are left out', async () => {
    expect(await all('event: recorded\ndata: {}')).toEqual([]);
  });

  it('keep colons in their data, and join its lines', async () => {
    expect(await all('data: a: b\ndata:c\n\n')).toEqual([{ event: 'message', data: 'a: b\nc' }]);
  });
});

describe('following', () => {
  const open = vi.fn();
  const listener = { onOpen: vi.fn(), onEvent: vi.fn(), onLost: vi.fn() };
  const headersOf = (call: number) => open.mock.calls[call]?.[1];

  beforeEach(() => {
    vi.useFakeTimers();
    vi.resetAllMocks();
  });
  afterEach(() => vi.useRealTimers());

  it('begins again after the last event when the stream breaks off', async () => {
    open.mockImplementation(async () => new Response(TEXT));
    const leave = follow({ open }, '/events', listener);
    await vi.advanceTimersByTimeAsync(0);
    expect(listener.onEvent.mock.calls).toEqual([
      ['promoted', '{"subject":"m1"}'],
      ['recorded', '{}'],
    ]);
    expect(listener.onLost).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(headersOf(0)).toEqual({ Accept: 'text/event-stream' });
    expect(headersOf(1)).toEqual({ Accept: 'text/event-stream', 'Last-Event-ID': '00a2' });
    leave();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('forgets an id that the server refuses', async () => {
    open.mockResolvedValueOnce(new Response(TEXT)).mockRejectedValue(new Problem(400, 'invalid', 'no such id'));
    const leave = follow({ open }, '/events', listener);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(headersOf(1)).toHaveProperty('Last-Event-ID');
    expect(headersOf(2)).not.toHaveProperty('Last-Event-ID');
    leave();
  });

  it('gives up a connection that is silent', async () => {
    open.mockImplementation(
      async (_path, _headers, signal: AbortSignal) =>
        new Response(
          new ReadableStream({
            start: (stream) => signal.addEventListener('abort', () => stream.error(new Error('aborted'))),
          }),
        ),
    );
    const leave = follow({ open }, '/events', listener);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([listener.onOpen.mock.calls.length, listener.onLost.mock.calls.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(listener.onLost).toHaveBeenCalledOnce();
    leave();
  });
});
