/** The documents of the HTTP API. Generated from its OpenAPI document by `make types`: do not edit. */

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AdminKeyBody: {
            name: string;
            /** @constant */
            role: "admin";
        };
        Admission: {
            admitted: boolean;
            decision: components["schemas"]["Decision"];
            checks: components["schemas"]["CheckResult"][];
            reasons: components["schemas"]["Reason"][];
            decided_at: string;
            shadow: components["schemas"]["Decision"] | null;
            passages: [
                number,
                number
            ][] | null;
        };
        AgeBucket: {
            up_to_days: number | null;
            count: number;
        };
        Alive: {
            /** @constant */
            status: "ok";
        };
        Answer: {
            results: components["schemas"]["FoundItem"][];
            degraded: string[];
            prompt?: string;
        };
        AuditLine: {
            sequence: number;
            project_id: string;
            at: string;
            actor: string;
            action: string;
            subject: string;
            reason: string;
            detail: {
                [key: string]: unknown;
            };
            previous: string;
            digest: string;
        };
        AuditPage: {
            items: components["schemas"]["AuditLine"][];
            next_cursor: string | null;
        };
        CheckResult: {
            name: string;
            passed: boolean;
            score: number | null;
            reason: components["schemas"]["Reason"];
        };
        Chunk: {
            id: string;
            content: string;
        };
        /** @enum {string} */
        Decision: "admitted" | "refused" | "pending";
        DiffRun: {
            edit: components["schemas"]["Edit"];
            text: string;
        };
        Digest: {
            project_id: string;
            made_at: string;
            since: string;
            entries: number;
            set_aside: {
                [key: string]: number;
            };
            waiting: number;
            insights: components["schemas"]["Insight"][];
        };
        DigestBody: {
            project_id?: string | null;
            group_id?: string | null;
            /** @default 7 */
            days: number;
        };
        DismissBody: {
            project_id?: string | null;
            group_id?: string | null;
            id: string;
            reason: string;
        };
        Dispute: {
            first_id: string;
            first_quote: string;
            second_id: string;
            second_quote: string;
            difference: components["schemas"]["Reason"];
        };
        /** @enum {string} */
        Edit: "same" | "removed" | "added";
        Entry: {
            id: string;
            project_id: string;
            session_id: string;
            agent_id: string | null;
            node_id: string | null;
            confidence: number | null;
            recorded_by: string | null;
            content: string;
            metadata: {
                [key: string]: unknown;
            };
            layer: components["schemas"]["Layer"];
            verified: boolean;
            created_at: string;
            expires_at: string | null;
            promoted_at: string | null;
        };
        EntryAdmission: {
            admitted: boolean;
            decision: components["schemas"]["Decision"];
            checks: components["schemas"]["CheckResult"][];
            reasons: components["schemas"]["Reason"][];
            entry_id: string;
            decided_at: string;
        };
        EntryPage: {
            items: components["schemas"]["Entry"][];
            next_cursor: string | null;
        };
        Event: {
            position: string;
            project_id: string;
            kind: components["schemas"]["EventKind"];
            at: string;
            subject: string;
        };
        /** @enum {string} */
        EventKind: "recorded" | "admitted" | "refused" | "knowledge:updated" | "digest:ready" | "promoted" | "retired";
        /** @enum {string} */
        ExclusionReason: "no_claim" | "injection" | "said_once" | "smaller" | "decided";
        Flow: {
            project_id: string;
            days: components["schemas"]["FlowDay"][];
            memory_ages: components["schemas"]["AgeBucket"][];
            insight_ages: components["schemas"]["AgeBucket"][];
            oldest_insight: string | null;
            oldest_pending: string | null;
        };
        FlowDay: {
            day: string;
            recorded: number;
            admitted: number;
            refused: number;
            pending: number;
            refused_by: {
                [key: string]: number;
            };
            promoted: number;
            dismissed: number;
            retired: number;
        };
        FoundItem: {
            id: string;
            content: string;
            source: components["schemas"]["Source"];
            score: number;
            verified: boolean;
            label: string;
            created_at: string;
            memory_id: string | null;
            entry_id: string | null;
            session_id: string | null;
            agent_id: string | null;
            promoted_by: string | null;
            promoted_at: string | null;
            expires_at: string | null;
            why?: components["schemas"]["MatchScores"];
        };
        Half: {
            half: string;
        };
        /** @enum {string} */
        Health: "ok" | "warn" | "fail";
        IngestBody: {
            project_id?: string | null;
            group_id?: string | null;
            content: string;
            atom?: string | null;
        };
        Insight: {
            id: string;
            project_id: string;
            summary: string;
            summarised_by: string;
            note: components["schemas"]["Reason"] | null;
            /** @constant */
            verified: false;
            label: string;
            sessions: number;
            agents: number;
            lowest_confidence: number | null;
            mean_confidence: number | null;
            first_seen: string;
            last_seen: string;
            made_at: string;
            refinement: components["schemas"]["Refinement"];
            nearest: components["schemas"]["Nearest"] | null;
            disputed: boolean;
            disputes: components["schemas"]["Dispute"][];
            sources: components["schemas"]["InsightSource"][];
            decision: components["schemas"]["InsightDecision"] | null;
            later: components["schemas"]["InsightSource"][];
        };
        InsightDecision: {
            review: components["schemas"]["ReviewStatus"];
            by: string;
            at: string;
            reason: string;
            memory_id: string | null;
        };
        InsightPage: {
            items: components["schemas"]["Insight"][];
            next_cursor: string | null;
        };
        InsightSource: {
            entry_id: string;
            session_id: string;
            agent_id: string | null;
            confidence: number | null;
            created_at: string;
            quote: string;
            doubt: components["schemas"]["SourceDoubt"] | null;
        };
        JsonValue: unknown;
        Key: {
            id: string;
            name: string;
            role: components["schemas"]["KeyRole"];
            project_id: string | null;
            made_at: string;
            made_by: string;
            last_used_at: string | null;
            revoked_at: string | null;
            revoked_by: string | null;
        };
        KeyPage: {
            items: components["schemas"]["Key"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        KeyRole: "agent" | "reviewer" | "auditor" | "admin";
        /** @enum {string} */
        Layer: "quarantine" | "working" | "longterm";
        Lineage: {
            entries: components["schemas"]["Receipt"][];
            memories: components["schemas"]["LongTermMemory"][];
            events: components["schemas"]["AuditLine"][];
            served: components["schemas"]["Serving"][];
        };
        LongTermMemory: {
            id: string;
            project_id: string;
            content: string;
            promoted_by: string;
            promoted_at: string;
            entry_ids: string[];
            chunks: components["schemas"]["Chunk"][];
            retired_at: string | null;
            retired_by: string | null;
            retired_reason: string | null;
        };
        MatchScores: {
            similarity: number | null;
            word_score: number;
            words: string[];
        };
        MemoryPage: {
            items: components["schemas"]["LongTermMemory"][];
            next_cursor: string | null;
        };
        Nearest: {
            memory_id: string;
            content: string;
            similarity: number;
            diff: components["schemas"]["DiffRun"][];
            conflict: components["schemas"]["Reason"] | null;
        };
        NewKey: {
            key: components["schemas"]["Key"];
            text: string;
        };
        Part: {
            name: string;
            health: components["schemas"]["Health"];
            message: string;
            advice: string | null;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @default null */
            field: string | null;
        };
        ProjectItem: {
            project_id: string;
        };
        ProjectKeyBody: {
            project_id?: string | null;
            group_id?: string | null;
            name: string;
            /** @enum {string} */
            role: "agent" | "reviewer" | "auditor";
        } | {
            project_id: string;
        } | {
            group_id: string;
        };
        ProjectPage: {
            items: components["schemas"]["ProjectItem"][];
            next_cursor: string | null;
        };
        PromoteBody: {
            project_id?: string | null;
            group_id?: string | null;
            id: string;
            text?: string | null;
        };
        Proposal: {
            entry_id: string;
            insight_id: string;
            new: boolean;
        };
        ProposeBody: {
            project_id?: string | null;
            group_id?: string | null;
            id: string;
            reason: string;
        };
        QueryBody: {
            project_id?: string | null;
            group_id?: string | null;
            query: string;
            /** @default 5 */
            max_results: number;
            /** @default 10 */
            max_unverified: number;
            time_range_days?: number | null;
            /** @default 0 */
            relevance_threshold: number;
            session_id?: string | null;
            agent_id?: string | null;
            /** @default false */
            explain: boolean;
            /** @default false */
            prompt: boolean;
        };
        Readiness: {
            ready: boolean;
            parts: components["schemas"]["Part"][];
        };
        Reason: {
            code: string;
            params: {
                [key: string]: unknown;
            };
            en: string;
            zh: string;
        };
        Receipt: {
            entry: components["schemas"]["Entry"];
            admission: components["schemas"]["Admission"];
            review: components["schemas"]["ReviewStatus"] | null;
        };
        ReceiptPage: {
            items: components["schemas"]["Receipt"][];
            next_cursor: string | null;
        };
        RecordBody: {
            project_id?: string | null;
            group_id?: string | null;
            session_id: string;
            content: string;
            agent_id?: string | null;
            node_id?: string | null;
            confidence?: number | null;
            metadata?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
        };
        Recorded: {
            admitted: boolean;
            decision: components["schemas"]["Decision"];
            checks: components["schemas"]["CheckResult"][];
            reasons: components["schemas"]["Reason"][];
            entry_id: string;
            project_id: string;
            created_at: string;
            decided_at: string;
        };
        /** @enum {string} */
        RefineOutcome: "duplicate" | "too_narrow" | "observing" | "ready";
        Refinement: {
            outcome: components["schemas"]["RefineOutcome"];
            label: string;
            reason: components["schemas"]["Reason"];
            observations: number;
            needed: number;
        };
        RetireBody: {
            project_id?: string | null;
            group_id?: string | null;
            id: string;
            reason: string;
            /** @default false */
            superseded: boolean;
        };
        Retirement: {
            memory: components["schemas"]["LongTermMemory"];
            reason: string | null;
            served: components["schemas"]["Serving"][];
        };
        /** @enum {string} */
        ReviewStatus: "promoted" | "dismissed" | "retired" | "covered";
        /** @enum {string} */
        Right: "record" | "query" | "audit" | "review" | "keys";
        Serving: {
            answer_id: string;
            item_id: string;
            session_id: string | null;
            agent_id: string | null;
            query: string;
            at: string;
        };
        Session: {
            name: string;
            role: components["schemas"]["KeyRole"];
            project_id: string | null;
            rights: components["schemas"]["Right"][];
            keyless: boolean;
        };
        /** @enum {string} */
        Source: "hot" | "cold";
        /** @enum {string} */
        SourceDoubt: "injection" | "echo" | "inconsistent" | "contrary";
        Stats: {
            project_id: string;
            recorded: number;
            admitted: number;
            refused: number;
            pending: number;
            refused_by: {
                [key: string]: number;
            };
            shadow_admitted: number;
            shadow_refused: number;
            working: number | null;
            memories: number;
            chunks: number;
            tombstones: number;
            answers: number;
            insights_waiting: number;
            oldest_waiting: string | null;
        };
        Tombstone: {
            id: string;
            project_id: string;
            kind: components["schemas"]["TombstoneKind"];
            source_id: string;
            content: string;
            by: string;
            at: string;
            reason: string;
        };
        /** @enum {string} */
        TombstoneKind: "dismissed" | "retired";
        Verification: {
            project_id: string;
            whole: boolean;
            events: number;
            head: string;
            problems: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AdminKeyBody = components['schemas']['AdminKeyBody'];
export type Admission = components['schemas']['Admission'];
export type AgeBucket = components['schemas']['AgeBucket'];
export type Alive = components['schemas']['Alive'];
export type Answer = components['schemas']['Answer'];
export type AuditLine = components['schemas']['AuditLine'];
export type AuditPage = components['schemas']['AuditPage'];
export type CheckResult = components['schemas']['CheckResult'];
export type Chunk = components['schemas']['Chunk'];
export type Decision = components['schemas']['Decision'];
export type DiffRun = components['schemas']['DiffRun'];
export type Digest = components['schemas']['Digest'];
export type DigestBody = components['schemas']['DigestBody'];
export type DismissBody = components['schemas']['DismissBody'];
export type Dispute = components['schemas']['Dispute'];
export type Edit = components['schemas']['Edit'];
export type Entry = components['schemas']['Entry'];
export type EntryAdmission = components['schemas']['EntryAdmission'];
export type EntryPage = components['schemas']['EntryPage'];
export type Event = components['schemas']['Event'];
export type EventKind = components['schemas']['EventKind'];
export type ExclusionReason = components['schemas']['ExclusionReason'];
export type Flow = components['schemas']['Flow'];
export type FlowDay = components['schemas']['FlowDay'];
export type FoundItem = components['schemas']['FoundItem'];
export type Half = components['schemas']['Half'];
export type Health = components['schemas']['Health'];
export type IngestBody = components['schemas']['IngestBody'];
export type Insight = components['schemas']['Insight'];
export type InsightDecision = components['schemas']['InsightDecision'];
export type InsightPage = components['schemas']['InsightPage'];
export type InsightSource = components['schemas']['InsightSource'];
export type JsonValue = components['schemas']['JsonValue'];
export type Key = components['schemas']['Key'];
export type KeyPage = components['schemas']['KeyPage'];
export type KeyRole = components['schemas']['KeyRole'];
export type Layer = components['schemas']['Layer'];
export type Lineage = components['schemas']['Lineage'];
export type LongTermMemory = components['schemas']['LongTermMemory'];
export type MatchScores = components['schemas']['MatchScores'];
export type MemoryPage = components['schemas']['MemoryPage'];
export type Nearest = components['schemas']['Nearest'];
export type NewKey = components['schemas']['NewKey'];
export type Part = components['schemas']['Part'];
export type Problem = components['schemas']['Problem'];
export type ProjectItem = components['schemas']['ProjectItem'];
export type ProjectKeyBody = components['schemas']['ProjectKeyBody'];
export type ProjectPage = components['schemas']['ProjectPage'];
export type PromoteBody = components['schemas']['PromoteBody'];
export type Proposal = components['schemas']['Proposal'];
export type ProposeBody = components['schemas']['ProposeBody'];
export type QueryBody = components['schemas']['QueryBody'];
export type Readiness = components['schemas']['Readiness'];
export type Reason = components['schemas']['Reason'];
export type Receipt = components['schemas']['Receipt'];
export type ReceiptPage = components['schemas']['ReceiptPage'];
export type RecordBody = components['schemas']['RecordBody'];
export type Recorded = components['schemas']['Recorded'];
export type RefineOutcome = components['schemas']['RefineOutcome'];
export type Refinement = components['schemas']['Refinement'];
export type RetireBody = components['schemas']['RetireBody'];
export type Retirement = components['schemas']['Retirement'];
export type ReviewStatus = components['schemas']['ReviewStatus'];
export type Right = components['schemas']['Right'];
export type Serving = components['schemas']['Serving'];
export type Session = components['schemas']['Session'];
export type Source = components['schemas']['Source'];
export type SourceDoubt = components['schemas']['SourceDoubt'];
export type Stats = components['schemas']['Stats'];
export type Tombstone = components['schemas']['Tombstone'];
export type TombstoneKind = components['schemas']['TombstoneKind'];
export type Verification = components['schemas']['Verification'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
