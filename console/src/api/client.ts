import { dropHalf, halfFor } from './half';

export type Query = Record<string, string | number | boolean | null | undefined>;

/** An error as the server tells it (RFC 9457); status 0 where it did not answer at all. */
export class Problem extends Error {
  readonly status: number;
  readonly kind: string;
  readonly field: string | undefined;
  readonly request: string | undefined;

  constructor(status: number, kind: string, detail: string, field?: string, request?: string) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.kind = kind;
    this.field = field;
    this.request = request;
  }

  /** Whether trying again may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export interface ClientOptions {
  /** Where the server is; this page's own origin where it is not given. */
  baseUrl?: string;
  /** A key; without one the browser's cookie and the page's half say who calls. */
  key?: string;
  /** The project of every call; a key of a project needs none. */
  project?: string | null;
}

/** Calls the HTTP API for one project. */
export class Client {
  readonly project: string | null;
  readonly key: string | undefined;
  readonly #base: string;

  constructor({ baseUrl = '', key, project = null }: ClientOptions = {}) {
    this.#base = `${baseUrl.replace(/\/+$/, '')}/api/v1`;
    this.key = key;
    this.project = project;
  }

  /** Say where a path is, with the project in its query. */
  address(path: string, query: Query = {}): string {
    const set = Object.entries({ project_id: this.project, ...query }).filter(
      ([, value]) => value != null && value !== '',
    );
    const search = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
    return `${this.#base}${path}${search && `?${search}`}`;
  }

  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
    return this.#send<T>(this.address(path, query), { ...(signal && { signal }) });
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    const named = this.project === null ? body : { project_id: this.project, ...body };
    // A decision outlives its page.
    const init = { method: 'POST', body: JSON.stringify(named), keepalive: true };
    return this.#send<T>(`${this.#base}${path}`, { ...init, headers: { 'Content-Type': 'application/json' } });
  }

  delete<T>(path: string, query?: Query): Promise<T> {
    return this.#send<T>(this.address(path, query), { method: 'DELETE' });
  }

  /** Ask for an answer that is read as it comes. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    return this.#answer(this.address(path), { headers, signal });
  }

  async #send<T>(address: string, init: RequestInit): Promise<T> {
    const answer = await this.#answer(address, init);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  async #answer(address: string, init: RequestInit): Promise<Response> {
    const half = this.key ? null : halfFor(address);
    const who = this.key ? { Authorization: `Bearer ${this.key}` } : half && { 'X-Memsieve-Half': half };
    const answer = await answered(address, {
      ...init,
      headers: { ...init.headers, ...who },
      credentials: 'same-origin',
    });
    // The cookie went with the browser, or its key is not valid any more.
    if (answer.status === 401) dropHalf(half);
    if (!answer.ok) throw await problemOf(answer);
    return answer;
  }
}

async function answered(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem(0, 'unreachable', '');
  }
}

async function problemOf(answer: Response): Promise<Problem> {
  const problem = await answer.json().catch(() => ({}));
  const kind =
    String(problem.type ?? '')
      .split(':')
      .at(-1) ?? '';
  return new Problem(answer.status, kind, problem.detail ?? answer.statusText, problem.field, problem.instance);
}
