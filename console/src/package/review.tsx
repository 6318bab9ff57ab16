import { createContext, use } from 'react';
import type { Insight } from '../api/types';
import type { Action, DecisionState } from './decisions';

/** How much of a card is shown, and what is being done with it. */
export type Mode = 'closed' | 'read' | 'edit' | 'dismiss';

/** Which insight is being looked at, and how. */
export interface View {
  /** The insight that was chosen; null: the first that is open. */
  chosen: string | null;
  mode: Exclude<Mode, 'closed'>;
  /** What an edit begins with, in place of the summary. */
  draft: string | undefined;
  /** Whether all sources are shown. */
  isExpanded: boolean;
  /** Whether the reader has moved: until then nothing is scrolled. */
  hasMoved: boolean;
}

export type ViewAction =
  | { type: 'show'; id: string | null; mode?: Exclude<Mode, 'closed'>; draft?: string }
  | { type: 'toggleSources' };

export const FIRST_VIEW: View = { chosen: null, mode: 'read', draft: undefined, isExpanded: false, hasMoved: false };

export function viewReducer(view: View, action: ViewAction): View {
  switch (action.type) {
    case 'show':
      return { chosen: action.id, mode: action.mode ?? 'read', draft: action.draft, isExpanded: false, hasMoved: true };
    case 'toggleSources':
      return { ...view, isExpanded: !view.isExpanded };
  }
}

/** The insight so many places further; the ends of the list hold. */
export function neighbour(insights: Insight[], current: Insight | null, step: number): Insight | undefined {
  const at = insights.findIndex((one) => one.id === current?.id);
  return insights[Math.min(Math.max(at + step, 0), insights.length - 1)];
}

/** The next insight that is open, below first, so that one reads downwards; the same where there is none. */
export function nextOpen(insights: Insight[], after: Insight, isOpen: (one: Insight) => boolean): Insight {
  const at = insights.findIndex((one) => one.id === after.id);
  return [...insights.slice(at + 1), ...insights.slice(0, Math.max(at, 0))].find(isOpen) ?? after;
}

/** What every card of the digest has at hand. */
export interface Review {
  view: View;
  decisions: ReadonlyMap<string, DecisionState>;
  readOnly: boolean;
  /** Where an entry or a memory can be read; without it nothing is linked. */
  linkTo: ((kind: 'entry' | 'memory', id: string) => string) | undefined;
  dispatch: (action: ViewAction) => void;
  /** Decide, and go on to the next that is open. */
  decide: (insight: Insight, action: Action) => void;
  undo: (id?: string) => void;
}

export const ReviewContext = createContext<Review | null>(null);

export function useReview(): Review {
  const review = use(ReviewContext);
  if (!review) throw new Error('No review here: cards belong into a KnowledgeDigest.');
  return review;
}
