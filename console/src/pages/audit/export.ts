import type { Client } from '../../api/client';
import type { AuditPage } from '../../api/types';

const PAGE = 1000;

/** Read the whole log, oldest first, and save it as JSON lines; returns how many. */
export async function exportLog(client: Client, onProgress: (lines: number) => void): Promise<number> {
  const lines: string[] = [];
  let cursor: string | null = null;
  do {
    const page: AuditPage = await client.get('/audit', { limit: PAGE, cursor });
    lines.push(...page.items.map((line) => JSON.stringify(line)));
    onProgress(lines.length);
    cursor = page.next_cursor;
  } while (cursor !== null);
  save(`${lines.join('\n')}\n`, `audit-${client.project ?? 'project'}-${new Date().toISOString().slice(0, 10)}.jsonl`);
  return lines.length;
}

function save(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), PAGE);
}
