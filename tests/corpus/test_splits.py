"""The split of a file is told from its path, in all the layouts CROHME has come in."""

import pytest

from inktex.corpus.packages import split_of


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("crohme/train.zip/TrainINKML/MathBrush/a.inkml", "train"),
        ("crohme/test2013.zip/TestINKMLGT/rit_1.inkml", "test2013"),
        ("TestINKMLGT/rit_1.inkml", "test2013"),
        ("crohme/test2014.zip/TestEM2014GT/18_em_0.inkml", "test2014"),
        ("ICFHR_package/CROHME2011_data/CROHME_training.zip/CROHME_training/f.inkml", "train2011"),
        ("ICFHR_package/CROHME2011_data/CROHME_testGT.zip/CROHME_testGT/f.inkml", "test2011"),
        ("CROHME2012_data/trainData/part1/f.inkml", "train2012"),
        ("CROHME2012_data/testDataGT/f.inkml", "test2012"),
        ("CROHME2013_data/TrainINKML_v3/HAMEX/f.inkml", "train"),
        ("CROHME2014_data/MatricesTrain2014/f.inkml", "matrices-train"),
        ("CROHME2014_data/MatricesTest2014/f.inkml", "matrices-test2014"),
        ("CROHME2016_data/Task-1-Formula/TEST2016_INKML_GT/UN_1.inkml", "test2016"),
        ("CROHME2016_data/Task-2-Symbols/Task2_Test2016/testSymbols/iso1.inkml", "symbols-test2016"),
        ("CROHME2019/Task1_onlineRec/MainTask_formula/valid/INKMLs/f.inkml", "valid2019"),
        ("CROHME2019/Task1_onlineRec/MainTask_formula/Train/INKMLs/Train_2014/f.inkml", "train"),
        ("TC11_CROHME23/INKML/val/CROHME2014_test/f.inkml", "test2014"),
        ("TC11_CROHME23/INKML/test/CROHME2019_test/f.inkml", "test2019"),
        ("TC11_CROHME23/INKML/train/f.inkml", "train2023"),
        ("my ink/x.inkml", "other"),
        ("latest/contest/retrained/x.inkml", "other"),
        ("test.inkml", "other"),
    ],
)
def test_packages(path: str, split: str) -> None:
    assert split_of(path) == split
    assert split_of(path.replace("/", "\\")) == split
