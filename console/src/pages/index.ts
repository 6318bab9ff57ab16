import { lazy } from 'react';
import type { Right } from '../api/types';
import type { IconName } from '../components/Icon';

export type PageName = 'digest' | 'ask' | 'quarantine' | 'working' | 'longterm' | 'flow' | 'audit' | 'keys';

export interface PageEntry {
  name: PageName & IconName;
  /** As wouter reads it; `:id?` is something in it that is open. */
  path: string;
  group: 'review' | 'tiers' | 'operate';
  /** Pressed after g. */
  letter: string;
  right: Right;
  view: ReturnType<typeof lazy>;
}

/** Every page, in the order of the navigation. Its word is `shell[name]`. */
export const PAGES: PageEntry[] = [
  { name: 'digest', path: '/', group: 'review', letter: 'd', right: 'audit', view: lazy(() => import('./Digest')) },
  { name: 'ask', path: '/ask', group: 'review', letter: 'a', right: 'query', view: lazy(() => import('./Ask')) },
  {
    name: 'quarantine',
    path: '/quarantine/:id?',
    group: 'tiers',
    letter: 'q',
    right: 'audit',
    view: lazy(() => import('./Quarantine')),
  },
  {
    name: 'working',
    path: '/working',
    group: 'tiers',
    letter: 'w',
    right: 'query',
    view: lazy(() => import('./Working')),
  },
  {
    name: 'longterm',
    path: '/longterm/:id?',
    group: 'tiers',
    letter: 'l',
    right: 'audit',
    view: lazy(() => import('./LongTerm')),
  },
  { name: 'flow', path: '/flow', group: 'operate', letter: 'f', right: 'audit', view: lazy(() => import('./Flow')) },
  { name: 'audit', path: '/audit', group: 'operate', letter: 'u', right: 'audit', view: lazy(() => import('./Audit')) },
  { name: 'keys', path: '/keys', group: 'operate', letter: 'k', right: 'keys', view: lazy(() => import('./Keys')) },
];

/** The address of a page, without what may be open in it. */
export function addressOf(page: PageEntry): string {
  return page.path.replace('/:id?', '') || '/';
}
