import type { QueryKey } from '@tanstack/react-query';

type Project = string | null;

/** What is read anew together: the second part of the key of everything that belongs to a project. */
export type Topic =
  | 'quarantine'
  | 'entries'
  | 'working'
  | 'longterm'
  | 'digest'
  | 'decided'
  | 'audit'
  | 'stats'
  | 'flow'
  | 'lineage'
  | 'ask';

/** The key of every query: the project first, then the topic, then what narrows it down. */
export const queryKeys = {
  session: ['session'],
  projects: ['projects'],
  accessKeys: ['keys'],
  topic: (project: Project, topic: Topic) => [project, topic],
  stats: (project: Project) => [project, 'stats' satisfies Topic],
  flow: (project: Project, days: number) => [project, 'flow' satisfies Topic, days],
  digest: (project: Project) => [project, 'digest' satisfies Topic],
  decided: (project: Project) => [project, 'decided' satisfies Topic],
  answer: (project: Project, question: object) => [project, 'ask' satisfies Topic, question],
  /** The pages of the list, which are never read anew as a whole. */
  entries: (project: Project, query: object) => [project, 'entries' satisfies Topic, query],
  /** The newest entries of each list, which are. */
  newestEntries: (project: Project, query?: object) =>
    [project, 'quarantine' satisfies Topic, 'newest', ...(query ? [query] : [])] as const,
  entry: (project: Project, id: string) => [project, 'quarantine' satisfies Topic, 'entry', id],
  working: (project: Project) => [project, 'working' satisfies Topic],
  memories: (project: Project, query: object) => [project, 'longterm' satisfies Topic, query],
  lineage: (project: Project, id: string | undefined) => [project, 'lineage' satisfies Topic, id],
  auditLines: (project: Project) => [project, 'audit' satisfies Topic, 'lines'],
  auditVerification: (project: Project) => [project, 'audit' satisfies Topic, 'verification'],
} as const satisfies Record<string, QueryKey | ((...parts: never[]) => QueryKey)>;
