/** A proposed change to a workflow, from a run or a conversation, as a diff with Apply and Decline. */
import { call, type Schemas } from "../../api/client";
import { ATTENTION_NOUNS } from "../../app/attention_count";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { TextWithCode } from "../../design/text_with_code";
import { blocksFromApi } from "../workflow/block_edits";
import { differences } from "../workflow/diff";
import { DiffView } from "../workflow/diff_view";

type ProposalData = NonNullable<Schemas["ProposalAnswer"]["proposal"]>;

/** The source of the proposal: a run or a conversation. */
export type ProposedBy = { readonly id: string } | { readonly threadId: string };
type ApplyAnswer = Schemas["BlockList"];

interface Props {
  by: ProposedBy;
  onApplied?: (answer: ApplyAnswer) => void;
  onDeclined?: () => void;
}

/** The proposal of a run or conversation; renders nothing if there is none. */
export function Proposal({ by, onApplied, onDeclined }: Props) {
  const { value, problem } = useQuery(`proposal ${JSON.stringify(by)}`, () => call("/executions/getProposal", by), {
    nouns: ATTENTION_NOUNS,
  });
  if (problem)
    return (
      <p class="field-problem">
        <TextWithCode text={problem} />
      </p>
    );
  if (!value?.proposal) return null;
  return <ProposalView proposal={value.proposal} by={by} onApplied={onApplied} onDeclined={onDeclined} />;
}

function ProposalView({
  proposal,
  by,
  onApplied,
  onDeclined,
}: {
  proposal: ProposalData;
  by: ProposedBy;
  onApplied: Props["onApplied"];
  onDeclined: Props["onDeclined"];
}) {
  const apply = async () => {
    const answer = await call("/executions/applyProposal", by);
    notify(`Saved as version ${answer.version}.`);
    onApplied?.(answer);
  };
  const decline = async () => {
    await call("/executions/declineProposal", by);
    onDeclined?.();
  };
  return (
    <div class="stack proposal">
      <DiffView differences={differences(blocksFromApi(proposal.before), blocksFromApi(proposal.after))} />
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
          <ClosedProposal proposal={proposal} />
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

function ClosedProposal({ proposal }: { proposal: ProposalData }) {
  if (proposal.state === "applied")
    return <Badge kind="good">{`Applied as version ${proposal.appliedVersion ?? ""}`}</Badge>;
  if (proposal.state === "declined") return <Badge>Declined</Badge>;
  return (
    <span class="muted small">
      The workflow has changed since this proposal. Run it again or ask for a new proposal.
    </span>
  );
}
