/** The knowledge base: its documents and a search over them. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { upload } from "../../api/upload";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { chooseFiles } from "../../design/choose_files";
import { confirmAction, Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";

type KnowledgeDocument = Schemas["Document"];

export default function Knowledge() {
  const { value, problem } = useQuery("knowledge", () => call("/knowledge/list", { limit: 1000 }), {
    nouns: ["knowledge"],
  });
  const [isNew, setNew] = useState(false);
  const columns: Column<KnowledgeDocument>[] = [
    { name: "Name", cell: (one) => one.name },
    { name: "Tags", cell: (one) => one.tags.join(", "), minor: true },
    { name: "Passages", cell: (one) => one.passages, width: 100, minor: true, isLabelled: true },
    { name: "Added", cell: (one) => <Time iso={one.createdAt} />, width: 140, minor: true },
    {
      name: "Delete",
      cell: (one) => (
        <Button
          needs="edit"
          kind="quiet"
          icon="trash"
          label={`Delete ${one.name}`}
          onPress={() => removeDocument(one)}
        />
      ),
      width: 70,
    },
  ];
  const addFiles = async () => {
    for (const file of await chooseFiles()) {
      const stored = await upload("/files/upload", file);
      await call("/knowledge/create", { name: file.name, fileId: stored.id });
    }
  };
  return (
    <>
      <div class="view-head">
        <h1>Knowledge</h1>
        <div class="row">
          <Button needs="edit" icon="upload" onPress={addFiles}>
            Add files
          </Button>
          <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
            Add text
          </Button>
        </div>
      </div>
      <div class="stack">
        <SearchForm />
        <Card flush>
          <ListState isLoaded={value !== undefined} problem={problem} />
          {value?.total === 0 && (
            <EmptyState title="No documents yet.">Workflows can search the documents you add here.</EmptyState>
          )}
          {value && value.total > 0 && (
            <Table
              label="Documents"
              rows={value.documents}
              columns={columns}
              keyOf={(one) => one.id}
              total={value.total}
            />
          )}
        </Card>
      </div>
      {isNew && <NewText onClose={() => setNew(false)} />}
    </>
  );
}

function SearchForm() {
  const [text, setText] = useState("");
  const [passages, setPassages] = useState<Schemas["PassageList"]["passages"]>();
  const search = async () => setPassages((await call("/knowledge/query", { query: text })).passages);
  return (
    <Card>
      <form class="row code-form" role="search" onSubmit={(event) => event.preventDefault()}>
        <TextField label="Search the documents" type="search" value={text} onInput={setText} />
        <Button type="submit" icon="search" disabled={!text.trim()} onPress={search}>
          Search
        </Button>
      </form>
      {passages?.length === 0 && <EmptyState title="No matching passage." />}
      {passages?.map((one, index) => (
        <blockquote key={index} class="passage">
          <p>{one.text}</p>
          <footer class="small muted">
            {one.document.name}, passage {one.position + 1}
          </footer>
        </blockquote>
      ))}
    </Card>
  );
}

function NewText({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  return (
    <Dialog title="Add text" onClose={onClose} wide>
      <TextField label="Name" path="name" value={name} onInput={setName} required />
      <TextField label="Text" path="text" rows={10} value={text} onInput={setText} required />
      <div class="row dialog-actions">
        <Button
          kind="primary"
          disabled={!name.trim() || !text.trim()}
          onPress={() => call("/knowledge/create", { name, text }).then(onClose)}
        >
          Add document
        </Button>
      </div>
    </Dialog>
  );
}

async function removeDocument(one: KnowledgeDocument): Promise<void> {
  if (
    await confirmAction(
      "Remove this document?",
      `“${one.name}” can no longer be found by searches. Its file is kept.`,
      "Remove document",
    )
  )
    await call("/knowledge/delete", { id: one.id });
}
