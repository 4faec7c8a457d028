"""What an ink file itself is annotated with, read again where its LaTeX says something else."""

from corpus_samples import zipped

from inktex.corpus import annotated_layout, load_all
from inktex.latex import join

INKML = """<ink xmlns="http://www.w3.org/2003/InkML">
<annotation type="truth">{truth}</annotation>
<annotationXML type="truth"><math xmlns="http://www.w3.org/1998/Math/MathML"><mrow>
<mi xml:id="a">x</mi><mn xml:id="b">2</mn></mrow></math></annotationXML>
<trace id="0">0 0, 5 5</trace><trace id="1">8 0, 8 5</trace>
<traceGroup xml:id="all"><annotation type="truth">Segmentation</annotation>
<traceGroup xml:id="1"><annotation type="truth">x</annotation><traceView traceDataRef="0"/>
<annotationXML href="a"/></traceGroup>
<traceGroup xml:id="2"><annotation type="truth">2</annotation><traceView traceDataRef="1"/>
<annotationXML href="b"/></traceGroup></traceGroup></ink>"""


def test_the_annotation_is_found_where_the_latex_contradicts_it(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("INKTEX_CACHE", str(tmp_path / "cache"))
    package = tmp_path / "TestSet.zip"
    files = {"in/right.inkml": "x 2", "in/other.inkml": "x ^ 2"}
    package.write_bytes(zipped({name: INKML.format(truth=truth).encode() for name, truth in files.items()}))
    for _ in range(2):  # once read from the files, once from the cache
        [corpus] = load_all([package])
        known = {example.stem: example for example in corpus}
        assert any(known["right"].strokes_of)
        assert annotated_layout(known["right"].ink) is None  # its tokens say which strokes they are
        assert not any(known["other"].strokes_of)
        found = annotated_layout(known["other"].ink)
        assert found is not None
        assert join(found.tokens()) == "x 2"
        assert [node.strokes for node in found.symbols()] == [(0,), (1,)]
