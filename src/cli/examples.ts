/** What `--help` shows below the options. */

export const EXAMPLES = `
Examples:
  subgate providers                              which agents are here, and what they are called
  subgate run <provider> "fix the failing test"  a task for one of them
  subgate run "list the TODOs" -- my-agent --acp a task for any program that speaks ACP
  git diff | subgate run <provider> "review it"  standard input is added to the prompt
  subgate init                                   the same agents in an editor
  subgate ps                                     what runs, and what waits for you
`

export const RUN_EXAMPLES = `
Examples:
  subgate run <provider> "fix the failing test"
  subgate run "list the TODOs" -- my-agent --acp
  subgate run <provider> --json "is main green?" | jq -r .text

All before -- is the prompt and the options, all behind it is the agent's command.
Exit codes: 0 done; 1 failed; 2 usage; 3 time limit; 4 no such session; 5 denied by policy; 6 a control
that the agent can't honour; 7 depth, capacity or budget; 8 schema; 9 empty, cut short or declined;
10 cancelled; 11 sign-in needed; 12 busy, try later; 130 Ctrl-C; 143 SIGTERM.
`
