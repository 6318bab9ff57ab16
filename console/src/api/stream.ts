import { type Client, Problem } from './client';

const RETRY_MS = 5_000;
/** The server sends something every quarter of a minute: a connection that is silent for longer is dead. */
const SILENCE_MS = 60_000;

export interface Listener {
  onOpen: () => void;
  onEvent: (kind: string, data: string) => void;
  /** The connection broke; it is tried again by itself. */
  onLost: () => void;
}

/** Listen to a stream of server-sent events, which a browser's own reader asks for without headers. */
export function follow(client: Pick<Client, 'open'>, path: string, listener: Listener): () => void {
  let connection = new AbortController();
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let lastId = '';

  const connect = async () => {
    connection = new AbortController();
    const { signal } = connection;
    const silence = timeout(SILENCE_MS, () => connection.abort());
    try {
      const headers = { Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) };
      const answer = await client.open(path, headers, signal);
      if (!isClosed) listener.onOpen();
      for await (const frame of frames(chunks(answer, silence.restart))) {
        if (isClosed) return;
        if (frame.id !== undefined) lastId = frame.id;
        if (frame.data !== undefined) listener.onEvent(frame.event, frame.data);
      }
    } catch (error) {
      // An id that is refused would be refused for ever.
      if (error instanceof Problem && !error.passing) lastId = '';
    } finally {
      silence.clear();
      if (!isClosed) {
        listener.onLost();
        retry = setTimeout(connect, RETRY_MS);
      }
    }
  };

  void connect();
  return () => {
    isClosed = true;
    clearTimeout(retry);
    connection.abort();
  };
}

export interface Frame {
  id?: string;
  event: string;
  /** Missing where the frame only gives an id, or is a comment. */
  data?: string;
}

async function* chunks(answer: Response, onChunk: () => void): AsyncGenerator<string> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return;
    onChunk();
    yield chunk.value;
  }
}

/** Cut a stream into its frames, wherever its chunks end; a frame that is not complete in the end is left out. */
export async function* frames(stream: AsyncIterable<string>): AsyncGenerator<Frame> {
  let rest = '';
  for await (const chunk of stream) {
    const texts = (rest + chunk).split('\n\n');
    rest = texts.pop() ?? '';
    yield* texts.map(frameOf);
  }
}

function frameOf(text: string): Frame {
  const fields = text.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^[^:]*:? ?/, '')] as const);
  const values = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
  const [id, data] = [values('id').at(-1), values('data')];
  return {
    event: values('event').at(-1) ?? 'message',
    ...(id !== undefined && { id }),
    ...(data.length > 0 && { data: data.join('\n') }),
  };
}

/** Call back after so long, unless it is restarted. */
function timeout(after: number, callback: () => void): { restart: () => void; clear: () => void } {
  let timer = setTimeout(callback, after);
  const clear = () => clearTimeout(timer);
  const restart = () => {
    clear();
    timer = setTimeout(callback, after);
  };
  return { restart, clear };
}
