"""What a wrong data file or a stranger's price file gets: one sentence that says where and what."""

import io
import pickle
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import Price, PriceBook, data_directory, read_catalog, read_price_file
from netdesign.catalog.prices import LARGEST_FILE_BYTES, MOST_ROWS
from netdesign.catalog.references import read_references
from netdesign.errors import DesignError


@pytest.fixture
def folder(tmp_path):
    for path in data_directory().rglob("*"):
        if path.suffix in {".csv", ".bib"} and "measurements" not in path.parts:
            target = tmp_path / path.relative_to(data_directory())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return tmp_path


def replace_in(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def sentence_of(error):
    text = str(error.value)
    assert "\n" not in text
    assert "; " in text
    return text


def test_the_copied_folder_reads(folder):
    assert read_catalog(folder).switches["qm9700"].ports == 64


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("catalog/switches.csv", "qm9700,QM9700,NVIDIA,infiniband,NDR,64",
         "qm9700,QM9700,NVIDIA,infiniband,NDR,many",
         r"switches.csv, row 3, column ports: 'many' is not a whole number; give a whole number"),
        ("catalog/switches.csv", "infiniband,HDR,40", "infinibad,HDR,40",
         r"row 2, column technology: 'infinibad' is not one of the choices; use 'infiniband'"),
        ("catalog/accelerators.csv", "ampere,80,", "ampere,-80,",
         r"accelerators.csv, row 2, column memory_gb: '-80' is too small; give a number above 0"),
        ("catalog/accelerators.csv", "ampere,80,", "ampere,nan,",
         r"column memory_gb: 'nan' is not a finite number"),
        ("catalog/accelerators.csv", "a100-sxm,A100", "A100 SXM,A100",
         r"column id: 'A100 SXM' has the wrong form"),
        ("catalog/accelerators.csv", "id,name,vendor", "id,name,seller",
         r"accelerators.csv, row 1, column vendor is missing; give the columns source, date"),
        ("catalog/accelerators.csv", "date,note\n", "date,note,colour\n",
         r"accelerators.csv, row 1: 'colour' is not a known column; the columns are "),
        ("catalog/accelerators.csv", "year,source", "year,year",
         r"row 1, column source is missing"),
        ("catalog/nics.csv", "efa-v2,", "efa-v3,",
         r"nics.csv, row 12, column id: 'efa-v3' stands twice in the file"),
        ("catalog/servers.csv", "h100-sxm,8,8,8,400", "h900-sxm,8,8,8,400",
         r"servers.csv, row dgx-h100, column accelerator: 'h900-sxm' is not in the catalogue"),
        ("catalog/link_media.csv", "mma4z00-ns,2,", "mma4z00-ns,1,",
         r"link_media.csv, row 400g-sr4-twin, column switch_end_ports: 1 is not the number"),
        ("catalog/link_media.csv", "mma4z00-ns,2,", "mma4z00-ns,,",
         r"link_media.csv, row 5 is not valid; give switch_end_part and switch_end_ports"),
        ("transports.csv", "roce-hashed,\"RoCEv2, hashed ECMP\",ethernet,4096,82,0.922",
         "roce-hashed,\"RoCEv2, hashed ECMP\",ethernet,4096,82,1.922",
         r"transports.csv, row 3, column balance_efficiency: '1.922' is too large; .* at most 1"),
        ("transports.csv", "zhao-2025-isca,2025-05", "zhao-2025-isca,May 2025",
         r"transports.csv, row 2, column date: 'May 2025' has the wrong form"),
        ("transports.csv", "zhao-2025-isca,2025-05", ",2025-05",
         r"transports.csv, row 2, column source is blank; fill the cell"),
        ("transports.csv", "zhao-2025-isca,2025-05", "nobody-1999,2025-05",
         r"transports.csv, row infiniband, column source: 'nobody-1999' is not a key"),
        ("prices/cheah-2024.csv", "link-access,1320", "link-acess,1320",
         r"cheah-2024.csv, row link-acess, column part_id: 'link-acess' is not in the catalogue"),
        ("prices/cheah-2024.csv", "link-access,1320", "link-access,-1320",
         r"cheah-2024.csv, row 5, column price_usd: '-1320' is too small"),
        ("prices/cheah-2024.csv", "link-access,1320", "qm9700,1320",
         r"cheah-2024.csv, row 5, column part_id: 'qm9700' stands twice"),
        ("models.csv", "llama-2-7b,Llama 2 7B,32", "llama-2-7b,Llama 2 7B,32,1",
         r"models.csv, row 8: 35 is the wrong number of cells; give 34"),
        ("rental.csv", "h100-sxm,index", "h1-sxm,index", r"rental.csv, .*'h1-sxm' is not in"),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_named(folder, file, old, new, said):
    replace_in(folder / file, old, new)
    with pytest.raises(DesignError, match=said) as error:
        read_catalog(folder)
    sentence_of(error)


def test_a_missing_file_is_named(folder):
    (folder / "models.csv").unlink()
    with pytest.raises(DesignError, match=r"models.csv: .* cannot be read"):
        read_catalog(folder)


def test_two_parts_of_different_kinds_cannot_share_an_id(folder):
    replace_in(folder / "catalog/cables.csv", "mcp4y10,", "qm9700,")
    with pytest.raises(DesignError, match=r"cables.csv, column id: 'qm9700' is the id of another"):
        read_catalog(folder)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "@misc{a,\n  title = {A},\n  year = {2020},\n}\n@misc{a,\n}\n",
            "line 5: 'a' stands twice",
        ),
        ("@misc{a,\n  title = {A},\n}\n", "entry a lacks a title or a year"),
        ("@misc{a,\n  title {A},\n}\n", r"line 2: 'title \{A\},' is not a line of an entry"),
    ],
)
def test_a_wrong_bibliography_is_named(tmp_path, text, said):
    path = tmp_path / "references.bib"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DesignError, match=said):
        read_references(path)


def workbook(rows):
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


QUOTE = [["Part_ID", "note", "price_usd", "lead time"], ["qm9700", "our quote", 31500, "6 weeks"]]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_planners_quotes_lie_over_the_book(kind):
    content = (
        workbook([*QUOTE, [None, None, None, None]])
        if kind == "xlsx"
        else (
            "\ufeff" + "\r\n".join(",".join(map(str, row)) for row in QUOTE) + "\r\n\r\n"
        ).encode()
    )
    quotes = read_price_file(f"C:\\quotes\\mine.{kind}", content)
    assert quotes.name == f"mine.{kind}"
    price = quotes.prices["qm9700"]
    assert (price.price_usd, price.note, price.book) == (31500.0, "our quote", quotes.name)
    assert price.source == quotes.name
    shipped = PriceBook(
        "shipped",
        {key: Price(key, 1.0, "s", "2024", "", "shipped") for key in ("qm9700", "sn5600")},
    )
    both = shipped.overlay(quotes)
    assert both.name == f"shipped + mine.{kind}"
    assert {key: price.book for key, price in both.prices.items()} == {
        "qm9700": quotes.name,
        "sn5600": "shipped",
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("part_id,price\nqm9700,1\n", r"p.csv, row 1, column price_usd is missing; name the colum"),
        ("", r"p.csv, row 1, column part_id is missing"),
        ("part_id,price_usd\n", r"p.csv, row 2 is missing; give at least one price"),
        ("part_id,price_usd\nqm9700,-1\n", r"row 2, column price_usd: '-1' is below zero"),
        ("part_id,price_usd\nqm9700,nan\n", r"row 2, column price_usd: 'nan' is not a finite"),
        ("part_id,price_usd\nqm9700,1e400\n", r"'1e400' is not a finite number"),
        ("part_id,price_usd\nqm9700,1e12\n", r"'1e12' is more than a part can cost"),
        ("part_id,price_usd\nqm9700,=1+1\n", r"'=1\+1' is not a number; give US dollars"),
        ("part_id,price_usd\nqm9700,about 30k\n", r"'about 30k' is not a number"),
        ("part_id,price_usd\n\nqm9700,\n", r"row 3, column price_usd is blank"),
        ("part_id,price_usd\nqm9700,36,000\n", r"row 2: '000' stands beyond the last column"),
        ("part_id,price_usd\n,36\n", r"row 2, column part_id is blank"),
        ("part_id,price_usd\na,1\na,2\n", r"row 3, column part_id: 'a' stands twice"),
        ("part_id,price_usd,price_usd\na,1,2\n", r"row 1, column price_usd stands twice"),
        ('part_id,price_usd\n"a,1\n', r"is not CSV"),
    ],
)
def test_a_wrong_price_file_is_named(content, said):
    with pytest.raises(DesignError, match=said) as error:
        read_price_file("p.csv", content.encode())
    sentence_of(error)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.csv", b"\xff\xfe\x00", "p.csv: .* is not UTF-8 text"),
        ("p.xlsx", b"PK not a zip", "p.xlsx: .* cannot be read as a workbook"),
        ("p.pdf", b"%PDF", "give a file named .csv or .xlsx"),
        ("p.csv", b"x" * (LARGEST_FILE_BYTES + 1), "is too large; give a file of at most"),
    ],
)
def test_a_file_of_another_kind_is_refused(name, content, said):
    with pytest.raises(DesignError, match=said):
        read_price_file(name, content)


def test_too_many_rows_are_refused():
    rows = "".join(f"part-{row},1\n" for row in range(MOST_ROWS + 1))
    with pytest.raises(DesignError, match=rf"row {MOST_ROWS + 2} is a row too many"):
        read_price_file("p.csv", ("part_id,price_usd\n" + rows).encode())


def test_a_workbook_that_unpacks_to_much_is_refused():
    content = workbook([["part_id", "price_usd"], *[[f"p{i}", "9" * 400] for i in range(30_000)]])
    assert len(content) < LARGEST_FILE_BYTES
    with pytest.raises(DesignError, match="bytes unpacked' is too large"):
        read_price_file("p.xlsx", content)


def test_cells_of_a_workbook_are_never_evaluated():
    content = workbook([["part_id", "price_usd"], ["qm9700", "=1+1"]])
    with pytest.raises(DesignError, match="column price_usd is blank"):
        read_price_file("p.xlsx", content)


def outcome(name, content):
    try:
        return read_price_file(name, content)
    except DesignError as error:
        return str(error)


@settings(max_examples=200)
@given(name=st.sampled_from(["p.csv", "p.xlsx"]), content=st.binary(max_size=300))
def test_any_bytes_give_a_book_or_a_sentence(name, content):
    found = outcome(name, content)
    assert isinstance(found, PriceBook) or "\n" not in found


@given(text=st.text(max_size=200))
def test_any_text_under_the_right_columns_gives_a_book_or_a_sentence(text):
    found = outcome("p.csv", ("part_id,price_usd\n" + text).encode("utf-8", "surrogatepass"))
    if isinstance(found, PriceBook):
        assert all(0 <= price.price_usd < 1e10 for price in found.prices.values())
    else:
        assert "\n" not in found


def test_the_error_says_one_short_sentence_and_travels():
    error = DesignError("cluster.gpus", "x" * 500, "is not\na number", "give a whole number")
    assert str(error).startswith("cluster.gpus: 'xxx")
    assert str(error).endswith("... is not a number; give a whole number")
    assert len(str(error)) < 150
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.field, copy.value, str(copy)) == (error.field, error.value, str(error))
    assert str(DesignError("a", None, "is missing", "give a")) == "a is missing; give a"
    assert str(DesignError("a", 0, "is below 1", "give 1")) == "a: 0 is below 1; give 1"


def test_a_list_that_is_partly_filled_in_gives_the_prices_it_has():
    book = read_price_file("q.csv", b"part_id,price_usd\nqm9700,\ndgx-h100,285000\nsn5600, \n")
    assert {key: price.price_usd for key, price in book.prices.items()} == {"dgx-h100": 285000.0}
