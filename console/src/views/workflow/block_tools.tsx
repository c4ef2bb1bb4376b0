/** The actions for the selected block. */
import { Button } from "../../design/button";
import { copyBlock, insertBlocks, placeOf, type Block, type Place } from "./block_edits";
import { laneName, placeAfter } from "./block_tree";
import { afterSelected, copyToClipboard, deleteBlock } from "./clipboard";
import type { Draft } from "./draft";

interface Props {
  block: Block;
  draft: Draft;
  onInsert: (place: Place) => void;
}

export function BlockTools({ block, draft, onInsert }: Props) {
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
      <Button kind="quiet" icon="copy" onPress={() => copyToClipboard(draft)}>
        Copy
      </Button>
      <Button
        needs="edit"
        kind="quiet"
        icon="plus"
        onPress={() => draft.change(insertBlocks(draft.blocks.value, afterSelected(draft), [copyBlock(block)]))}
      >
        Duplicate
      </Button>
      <Button needs="edit" kind="quiet" icon="trash" onPress={() => deleteBlock(draft)}>
        Delete
      </Button>
    </div>
  );
}
