/** The actions for the selected block. */
import { Button } from "../../design/button";
import { placeOf, type Block, type Place } from "./block_edits";
import { laneName, placeAfter } from "./block_tree";
import { copyToClipboard, deleteSelected, insertCopies } from "./clipboard";
import type { Draft } from "./draft";

interface Props {
  block: Block;
  draft: Draft;
  onInsert: (place: Place) => void;
  onRepeat: () => void;
}

export function BlockTools({ block, draft, onInsert, onRepeat }: Props) {
  const place = placeOf(draft.blocks.value, block.key);
  return (
    <div class="row block-tools">
      <Button needs="edit" kind="quiet" icon="plus" onPress={() => place && onInsert(place)}>
        Insert before
      </Button>
      <Button needs="edit" kind="quiet" icon="plus" onPress={() => onInsert(placeAfter(place))}>
        Insert after
      </Button>
      {Object.entries(block.sequenceData).map(([name, list]) => (
        <Button
          needs="edit"
          key={name}
          kind="quiet"
          icon="plus"
          onPress={() => onInsert({ parent: block.key, sequence: name, index: list.length })}
        >
          {`Insert into ${laneName(name).toLowerCase()}`}
        </Button>
      ))}
      <SelectionTools draft={draft} onRepeat={onRepeat} />
    </div>
  );
}

/** What can be done with one selected block as with several. */
export function SelectionTools({ draft, onRepeat }: Pick<Props, "draft" | "onRepeat">) {
  return (
    <>
      <Button kind="quiet" icon="copy" onPress={() => copyToClipboard(draft)}>
        Copy
      </Button>
      <Button needs="edit" kind="quiet" icon="plus" onPress={() => insertCopies(draft, draft.selectedBlocks.value)}>
        Duplicate
      </Button>
      <Button needs="edit" kind="quiet" icon="retry" title="A loop over the rows of a sheet" onPress={onRepeat}>
        Repeat over a sheet
      </Button>
      <Button needs="edit" kind="quiet" icon="trash" onPress={() => deleteSelected(draft)}>
        Delete
      </Button>
    </>
  );
}
