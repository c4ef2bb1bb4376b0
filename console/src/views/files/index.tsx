/** The organization's files; the search is in the address. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { upload } from "../../api/upload";
import { useReading } from "../../app/reading";
import { query, setQuery } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask } from "../../design/dialog";
import { chooseFiles } from "../../design/choose_files";
import { Sending, type Transfer } from "../../design/sending";
import { TextField } from "../../design/field";
import { Table, type Column } from "../../design/table";
import { size } from "../execution/file_list";

type File_ = Schemas["File"];

export default function Files() {
  const search = query.value.get("search") ?? "";
  const { value, problem } = useReading(`files ${search}`, () => call("/files/list", { limit: 1000, ...(search ? { search } : {}) }), { nouns: ["file", "execution"] });
  const [sending, setSending] = useState<Transfer>();
  const sendAll = async () => {
    try {
      for (const file of await chooseFiles()) await upload("/files/upload", file, (part) => setSending({ name: file.name, part }));
    } finally {
      setSending(undefined);
    }
  };
  const columns: Column<File_>[] = [
    { name: "Name", cell: (one) => <a href={one.downloadUrl} download={one.name}>{one.name}</a> },
    { name: "Type", cell: (one) => one.mimeType, minor: true },
    { name: "Size", cell: (one) => size(one.sizeBytes), width: "110px", minor: true },
    { name: "Id", cell: (one) => <code>{one.id}</code>, minor: true },
    { name: "Delete", cell: (one) => <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${one.name}`} onPress={() => drop(one)} />, width: "70px" },
  ];
  return (
    <>
      <div class="view-head">
        <h1>Files</h1>
        <div class="row">
          {sending && <Sending {...sending} />}
          <Button needs="edit" kind="primary" icon="upload" onPress={sendAll}>
            Upload
          </Button>
        </div>
      </div>
      <div class="filters" role="search" aria-label="Search files">
        <TextField label="Search" type="search" value={search} onInput={(text) => setQuery({ search: text })} placeholder="Part of the name" />
      </div>
      <Card flush>
        {problem && <Empty title={problem} />}
        {value?.total === 0 && search && <Empty title="No file's name has this in it." />}
        {value?.total === 0 && !search && <Empty title="No files yet.">Upload one, or let a run download some.</Empty>}
        {value && value.total > 0 && <Table label="Files" rows={value.files} columns={columns} keyOf={(one) => one.id} total={value.total} />}
      </Card>
    </>
  );
}

async function drop(file: File_): Promise<void> {
  if (await ask("Delete this file", `“${file.name}” and its bytes are gone for good.`, "Delete it")) await call("/files/delete", { id: file.id });
}
