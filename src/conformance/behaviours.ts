/** The part of the manifest that speaks of runs in general, not of one capability. */
import type { Requirement } from './manifest.ts'

const must = (
  id: string,
  cue: Requirement['cue'],
  source: string,
  title: string,
  more: Partial<Requirement> = {},
): Requirement => ({ id, title, level: 'must', ...(cue !== undefined && { cue }), source, ...more })

const filter = (id: string, cue: Requirement['cue'], title: string): Requirement =>
  must(id, cue, 'C27', title, { capability: 'toolFilter' })

export const BEHAVIOURS: readonly Requirement[] = [
  must(
    'run/started-first-settled-last',
    'answer',
    'law 4',
    'a run has one start, its first event, and one settlement, its last',
  ),
  must(
    'run/updates-in-order',
    'sequence',
    'laws 4, 8',
    'updates come in the order in which the agent sent them, before the result',
  ),
  must(
    'run/replay-equals-live',
    'sequence',
    'law 7',
    'a reader that comes later sees what one saw live, from any cursor',
  ),
  must('run/nothing-after-settle', 'answer', 'law 4', 'nothing follows the settlement'),
  must('result/answer-is-completed', 'answer', 'B10.3', 'an answer with text is completed'),
  must('result/text-is-the-output', 'sequence', 'B10.2', 'the text of the result is what the events say'),
  must('result/silence-is-empty', 'silent', 'C22', 'a turn without text is empty'),
  must('result/white-space-is-empty', 'blank', 'C22', 'a turn of white space is empty'),
  must('result/tool-calls-only-is-empty', 'toolsOnly', 'C22', 'a turn of tool calls alone is empty', {
    level: 'should',
  }),
  must(
    'result/refusal-is-refused',
    'refusal',
    'C22',
    'a turn that the model declined is refused, with what it said',
    { level: 'should' },
  ),
  must(
    'result/truncation-is-truncated',
    'truncation',
    'C22',
    'a turn that a limit cut off is truncated, with what it said',
    { level: 'should' },
  ),
  must(
    'result/fault-is-failed',
    'fault',
    'law 6',
    'a fault after partial text is failed, typed, and keeps the text',
  ),
  must(
    'result/is-a-fold-of-the-log',
    'answer',
    'law 6',
    'status, error and usage of the result stand in the settlement',
  ),
  must('cancel/settles-cancelled', 'hang', 'B10.3', 'a cancelled run is cancelled, whoever asked for it'),
  must('cancel/keeps-partial-text', 'hang', 'B10.2', 'partial text survives a cancel'),
  must('cancel/is-heard', 'hang', 'law 5', 'the agent ends its turn by itself within the grace', {
    level: 'should',
  }),
  must('dispose/is-idempotent', 'answer', 'B10.4', 'disposing a run or its session twice does no harm'),
  must('dispose/cancels-what-runs', 'hang', 'B10.4', 'disposing a live run cancels it and waits for the end'),
  must(
    'settled/is-gone',
    'answer',
    'law 5',
    'with the settlement of a one-shot run its agent is gone: session, process and all',
  ),
  must('settled/is-gone-after-cancel', 'hang', 'law 5', 'the same after a cancel'),
  must('settled/is-gone-after-a-fault', 'fault', 'law 5', 'the same after a fault'),
  must(
    'open/aborted-leaves-nothing',
    'answer',
    'law 3',
    'a start that is aborted while the agent is set up leaves nothing',
  ),
  must('open/is-unpublished', 'answer', 'law 4', 'nothing is published before the agent is set up'),
  must(
    'open/claims-no-more-than-declared',
    'answer',
    'law 1',
    'a session has no more than was declared, and exactly that where nothing is negotiated',
  ),
  must(
    'gate/names-all-that-is-missing',
    'answer',
    'law 1',
    'one refusal names every control that is missing',
  ),
  must(
    'gate/unknown-controls-are-refused',
    undefined,
    'B1.6',
    'a field that no request has is refused, and composition is left to presets',
  ),
  must(
    'gate/own-refusal-comes-first',
    'unfit',
    'B1.3',
    'what `check` refuses is refused before `open`, by a dry run too; the cue is owed with a `check`',
  ),
  must(
    'permission/answered-before-it-acts',
    'question',
    'law 8',
    'a question comes after its tool call and its answer after it, within the run',
    { capability: 'permissions' },
  ),
  must(
    'permission/cancel-answers-what-is-open',
    'question',
    'law 8',
    'a cancel answers an open question before the settlement',
    { capability: 'permissions' },
  ),
  filter(
    'tool-filter/qualified-name',
    'toolFilterQualified',
    'a denied tool called by its qualified name (`mcp__server__tool`) does not run',
  ),
  filter(
    'tool-filter/later-tool',
    'toolFilterLate',
    'a tool that is added after the start and stands on no allow list does not run',
  ),
  filter('tool-filter/empty-list', 'toolFilterNone', 'an empty allow list leaves no tool'),
  filter('tool-filter/deny-wins', 'toolFilterBoth', 'a tool that is both allowed and denied does not run'),
]
