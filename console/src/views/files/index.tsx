/** The organization's files; the address holds the search. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { upload } from "../../api/upload";
import { searchParams, setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { chooseFiles } from "../../design/choose_files";
import { confirmAction } from "../../design/dialog";
import { SelectField, TextField } from "../../design/field";
import { formatBytes } from "../../design/format";
import { Table, type Column } from "../../design/table";
import { UploadProgress, type UploadState } from "../../design/upload_progress";

type StoredFile = Schemas["File"];

export default function Files() {
  const search = searchParams.value.get("search") ?? "";
  const withResponses = searchParams.value.has("responses");
  const { value, problem } = useQuery(
    `files ${search} ${withResponses}`,
    () => call("/files/list", { limit: 1000, withoutResponses: !withResponses, ...(search ? { search } : {}) }),
    { nouns: ["file", "execution"] },
  );
  const [uploadState, setUploadState] = useState<UploadState>();
  const uploadFiles = async () => {
    try {
      for (const file of await chooseFiles())
        await upload("/files/upload", file, (fraction) => setUploadState({ name: file.name, fraction }));
    } finally {
      setUploadState(undefined);
    }
  };
  const columns: Column<StoredFile>[] = [
    {
      name: "Name",
      cell: (one) => (
        <a href={one.downloadUrl} download={one.name}>
          {one.name}
        </a>
      ),
      isLong: true,
    },
    { name: "Type", cell: (one) => one.mimeType, minor: true },
    { name: "Size", cell: (one) => formatBytes(one.sizeBytes), width: 110, minor: true },
    { name: "Id", cell: (one) => <code>{one.id}</code>, width: 266, minor: true },
    {
      name: "Delete",
      cell: (one) => (
        <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${one.name}`} onPress={() => deleteFile(one)} />
      ),
      width: 70,
    },
  ];
  return (
    <>
      <div class="view-head">
        <h1>Files</h1>
        <div class="row">
          {uploadState && <UploadProgress {...uploadState} />}
          <Button needs="edit" kind="primary" icon="upload" onPress={uploadFiles}>
            Upload
          </Button>
        </div>
      </div>
      <div class="filters" role="search" aria-label="Search files">
        <TextField
          label="Search"
          type="search"
          value={search}
          onInput={(text) => setSearchParams({ search: text })}
          placeholder="Part of the name"
        />
        <SelectField
          label="Show"
          value={withResponses ? "1" : ""}
          onInput={(responses) => setSearchParams({ responses })}
          options={[
            ["", "Files"],
            ["1", "Files and responses"],
          ]}
        />
      </div>
      <Card flush>
        <ListState isLoaded={value !== undefined} problem={problem} />
        {value?.total === 0 && search && <EmptyState title="No file name contains this text." />}
        {value?.total === 0 && !search && (
          <EmptyState title="No files yet.">Upload one, or run a workflow that downloads files.</EmptyState>
        )}
        {value && value.total > 0 && (
          <Table label="Files" rows={value.files} columns={columns} keyOf={(one) => one.id} total={value.total} />
        )}
      </Card>
    </>
  );
}

async function deleteFile(file: StoredFile): Promise<void> {
  if (await confirmAction("Delete this file?", `“${file.name}” will be deleted permanently.`, "Delete file"))
    await call("/files/delete", { id: file.id });
}
