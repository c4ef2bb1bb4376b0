/** What a run or a conversation proposes to change in a workflow: the same diff and the same button for all. */
import { call, type Schemas } from "../../api/client";
import { ATTENTION_NOUNS } from "../../app/attention_count";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { differences } from "../workflow/diff";
import { DiffView } from "../workflow/diff_view";
import { fromService } from "../workflow/tree_edit";

type Shown = NonNullable<Schemas["ProposalAnswer"]["proposal"]>;

/** Who proposes it: a run, or a conversation. */
export type ProposedBy = { readonly id: string } | { readonly threadId: string };
type Applied = Schemas["BlockList"];

interface Props {
  by: ProposedBy;
  onApplied?: (answer: Applied) => void;
  onDeclined?: () => void;
}

/** A proposal, or nothing where nothing is proposed. */
export function Proposal({ by, onApplied, onDeclined }: Props) {
  const { value, problem } = useReading(`proposal ${JSON.stringify(by)}`, () => call("/executions/getProposal", by), { nouns: ATTENTION_NOUNS });
  if (problem) return <p class="field-problem">{problem}</p>;
  if (!value?.proposal) return null;
  return <Offer proposal={value.proposal} by={by} onApplied={onApplied} onDeclined={onDeclined} />;
}

function Offer({ proposal, by, onApplied, onDeclined }: { proposal: Shown; by: ProposedBy; onApplied: Props["onApplied"]; onDeclined: Props["onDeclined"] }) {
  const apply = async () => {
    const answer = await call("/executions/applyProposal", by);
    notify(`The workflow is at version ${answer.version} now.`);
    onApplied?.(answer);
  };
  const decline = async () => {
    await call("/executions/declineProposal", by);
    onDeclined?.();
  };
  return (
    <div class="stack proposal">
      <DiffView differences={differences(fromService(proposal.before as Record<string, unknown>[]), fromService(proposal.after as Record<string, unknown>[]))} />
      <div class="row">
        {proposal.state === "open" ? (
          <>
            <Button needs="edit" kind="primary" icon="check" onPress={apply}>
              Apply
            </Button>
            <Button needs="edit" onPress={decline}>
              Decline
            </Button>
          </>
        ) : (
          <Settled proposal={proposal} />
        )}
        {proposal.executionId && (
          <a href={`/workflows/${proposal.workflowId}`} class="small">
            Open the workflow
          </a>
        )}
      </div>
    </div>
  );
}

function Settled({ proposal }: { proposal: Shown }) {
  if (proposal.state === "applied") return <Badge kind="good">{`Applied as version ${proposal.appliedVersion ?? ""}`}</Badge>;
  if (proposal.state === "declined") return <Badge>Declined</Badge>;
  return <span class="muted small">The workflow has changed since; run it or ask again for a proposal that fits.</span>;
}
