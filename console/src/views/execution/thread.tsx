/** What an agent said and did during the run. */
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { Empty } from "../../design/card";

export function Thread({ id }: { id: string | null }) {
  if (id === null) return <Empty title="No agent took part in this run." />;
  return <Messages id={id} />;
}

function Messages({ id }: { id: string }) {
  const { value, problem } = useReading(`thread ${id}`, () => call("/agents/session/messages/list", { id }), { nouns: ["thread"] });
  if (problem) return <Empty title={problem} />;
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
