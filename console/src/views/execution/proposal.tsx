/** What a run proposes to change in its workflow: the same diff and the same button wherever it is shown. */
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

/** A run's proposal, or nothing where it proposes nothing. */
export function Proposal({ executionId }: { executionId: string }) {
  const { value, problem } = useReading(`proposal ${executionId}`, () => call("/executions/getProposal", { id: executionId }), { nouns: ATTENTION_NOUNS });
  if (problem) return <p class="field-problem">{problem}</p>;
  if (!value?.proposal) return null;
  return <Offer proposal={value.proposal} />;
}

function Offer({ proposal }: { proposal: Shown }) {
  const id = proposal.executionId;
  const apply = async () => {
    const answer = await call("/executions/applyProposal", { id });
    notify(`The workflow is at version ${answer.version} now.`);
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
            <Button needs="edit" onPress={() => call("/executions/declineProposal", { id })}>
              Decline
            </Button>
          </>
        ) : (
          <Settled proposal={proposal} />
        )}
        <a href={`/workflows/${proposal.workflowId}`} class="small">
          Open the workflow
        </a>
      </div>
    </div>
  );
}

function Settled({ proposal }: { proposal: Shown }) {
  if (proposal.state === "applied") return <Badge kind="good">{`Applied as version ${proposal.appliedVersion ?? ""}`}</Badge>;
  if (proposal.state === "declined") return <Badge>Declined</Badge>;
  return <span class="muted small">The workflow has changed since this run; run it again for a proposal that fits.</span>;
}
