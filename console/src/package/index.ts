import './package.css';

export { Client, type ClientOptions, Problem } from '../api/client';
export type { Digest, Insight, InsightSource, Nearest } from '../api/types';
export { TemporaryContextBadge, type TemporaryContextBadgeProps, VerifiedBadge } from '../components/Badge';
export type { Language } from '../messages/language';
export type { Action, DecisionState } from './decisions';
export { KnowledgeDigest, type KnowledgeDigestProps } from './KnowledgeDigest';
export { MemsieveProvider, type MemsieveProviderProps } from './Provider';
export type { ReviewSession } from './reviewSession';
export { type DigestState, useDigest } from './useDigest';
export { type Promoting, usePromote } from './usePromote';
