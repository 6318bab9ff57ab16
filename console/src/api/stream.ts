import { type Client, Problem } from './client';

const RETRY = 5_000;
/** The server says something every quarter of a minute: a line that is silent for longer is dead. */
const SILENCE = 60_000;

export interface Listener {
  opened: () => void;
  heard: (event: string) => void;
  /** The line broke; it is tried again by itself. */
  lost: () => void;
}

/** Listen to a stream of server-sent events, which a browser's own reader asks for without headers. */
export function follow(client: Client, path: string, to: Listener): () => void {
  let line = new AbortController();
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let left = false;
  let last = '';

  const connect = async () => {
    line = new AbortController();
    const { signal } = line;
    const silence = alarm(SILENCE, () => line.abort());
    try {
      const headers = { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) };
      const answer = await client.open(path, headers, signal);
      if (!left) to.opened();
      for await (const frame of frames(answer, silence.put)) {
        if (left) return;
        if (frame.id !== undefined) last = frame.id;
        if (frame.event) to.heard(frame.event);
      }
    } catch (error) {
      // A place that is refused would be refused for ever.
      if (error instanceof Problem && !error.passing) last = '';
    } finally {
      silence.clear();
      if (!left) again();
    }
  };
  const again = () => {
    to.lost();
    waiting = setTimeout(connect, RETRY);
  };

  void connect();
  return () => {
    left = true;
    clearTimeout(waiting);
    line.abort();
  };
}

interface Frame {
  id?: string;
  /** Empty where the frame says nothing but its place. */
  event: string;
}

/** Read a stream frame by frame; its comments only say that it lives. */
async function* frames(answer: Response, alive: () => void): AsyncGenerator<Frame> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const told = await reader?.read();
    if (!told || told.done) return;
    alive();
    const texts = (rest + told.value).split('\n\n');
    rest = texts.pop() ?? '';
    yield* texts.map(frameOf);
  }
}

function frameOf(text: string): Frame {
  const fields = new Map(text.split('\n').map((one) => [one.split(':', 1)[0], one.replace(/^[^:]*: ?/, '')]));
  const id = fields.get('id');
  const event = fields.has('data') ? (fields.get('event') ?? 'message') : '';
  return { event, ...(id !== undefined && { id }) };
}

/** Ring after so long, unless it is put off. */
function alarm(after: number, ring: () => void): { put: () => void; clear: () => void } {
  let timer = setTimeout(ring, after);
  const clear = () => clearTimeout(timer);
  const put = () => {
    clear();
    timer = setTimeout(ring, after);
  };
  return { put, clear };
}
