import pytest

from hf_ppar.whole_file import whole_file


def test_a_file_appears_when_it_is_complete(tmp_path):
    with whole_file(tmp_path / "page.html") as place:
        place.write_text("new")
        assert not (tmp_path / "page.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "new"


def test_an_interrupt_keeps_the_old_file(tmp_path):
    (tmp_path / "page.html").write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "page.html") as place:
        place.write_text("half")
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "old"
