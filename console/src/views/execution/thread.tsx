/** The conversation of the agent that took part in the run. */
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { EmptyState } from "../../design/card";

export function Thread({ id }: { id: string | null }) {
  if (id === null) return <EmptyState title="No agent took part in this run." />;
  return <Messages id={id} />;
}

function Messages({ id }: { id: string }) {
  const { value, problem } = useQuery(`thread ${id}`, () => call("/agents/session/messages/list", { id }), {
    nouns: ["thread"],
  });
  if (problem) return <EmptyState title={problem} />;
  return (
    <ol class="messages">
      {(value?.messages ?? []).map((one, index) => (
        <li key={index} class={`message ${one.role}`}>
          <span class="small muted">{one.role}</span>
          {one.parts.map((part, at) => (
            <p key={at}>{part.text}</p>
          ))}
        </li>
      ))}
    </ol>
  );
}
