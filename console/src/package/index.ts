import './package.css';

export { Client, type ClientOptions, Problem } from '../api/client';
export type { Digest, Insight, InsightSource, Nearest } from '../api/types';
export { TemporaryContextBadge, type TemporaryContextBadgeProps, VerifiedBadge } from '../parts/Badge';
export type { Language } from '../words/language';
export type { Deed, Standing } from './decisions';
export { KnowledgeDigest, type KnowledgeDigestProps } from './KnowledgeDigest';
export { MemsieveProvider, type MemsieveProviderProps } from './Provider';
export { type DigestState, type Sitting, useDigest } from './useDigest';
export { type Promoting, usePromote } from './usePromote';
